# The service: docker build -t binairo . && docker run -p 8000:8000 -v binairo:/data binairo
FROM python:3.13-slim-bookworm AS build

COPY . /source
RUN python -m venv /opt/binairo \
    && /opt/binairo/bin/pip install --no-cache-dir "/source[service,pdf,png]"

FROM python:3.13-slim-bookworm

RUN useradd --system --uid 10001 --home-dir /data --create-home binairo
COPY --from=build /opt/binairo /opt/binairo
ENV PATH=/opt/binairo/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/data/cache

USER 10001
WORKDIR /data
RUN binairo warm-up
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["binairo", "serve", "--host", "0.0.0.0", "--port", "8000", "--data", "/data/jobs"]
