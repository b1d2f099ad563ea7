"""The JSON of the API, as types that its documentation is generated from."""
