"""The documentation of the API, as a page that loads nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from citeloom.domain.errors import NotFound

PAGE = "/api/docs"
SPECIFICATION = "/api/openapi.json"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
_HTML = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>citeloom HTTP API</title>
<link rel="stylesheet" href="{PAGE}/swagger-ui.css">
<div id="page"></div>
<script src="{PAGE}/swagger-ui-bundle.js"></script>
<script src="{PAGE}/start.js"></script>
</html>
"""
_START = f"""SwaggerUIBundle({{
  url: "{SPECIFICATION}",
  dom_id: "#page",
  deepLinking: true,
  validatorUrl: null,
}});
"""

router = APIRouter(include_in_schema=False)


@router.get(PAGE)
def page() -> Response:
    """The page."""
    return HTMLResponse(_HTML, headers={"Content-Security-Policy": POLICY})


@router.get(f"{PAGE}/start.js")
def start() -> Response:
    """What starts the page; a file of its own, since no script may stand within the page."""
    return Response(_START, media_type="text/javascript")


@router.get(f"{PAGE}/{{name}}")
def asset(name: str) -> Response:
    """A file of Swagger UI, as its package brings it."""
    if name not in _ASSETS:
        raise NotFound(f"there is no '{name}' here", f"The documentation begins at {PAGE}.")
    content = (files("fastapi_offline") / "static" / name).read_bytes()
    return Response(content, media_type=_ASSETS[name], headers={"Cache-Control": "max-age=86400"})
