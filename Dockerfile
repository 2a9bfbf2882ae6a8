# docker build -t binairo .
# docker run -p 8000:8000 -v binairo:/data binairo                    the service
# docker run -i binairo check - < puzzles.txt                         any other command
FROM python:3.13.9-slim-bookworm AS build

# The kernels are compiled and the page is built here; the image needs no compiler and no npm.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev npm

# The dependencies change rarely, so they have a layer of their own.
COPY requirements/build.txt requirements/image.txt /requirements/
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes -r /requirements/build.txt \
    && python -m venv /opt/binairo \
    && /opt/binairo/bin/pip install --no-cache-dir --require-hashes -r /requirements/image.txt
COPY . /source
RUN /opt/binairo/bin/python /source/build_tools/page.py \
    && /opt/build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels /source \
    && /opt/binairo/bin/pip install --no-cache-dir --no-deps /wheels/*.whl

FROM python:3.13.9-slim-bookworm

RUN useradd --system --uid 10001 --home-dir /data --create-home binairo
COPY --from=build /opt/binairo /opt/binairo
ENV PATH=/opt/binairo/bin:$PATH \
    PYTHONUNBUFFERED=1

USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# Ready means that the workers answer, and not only that the port is open.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/readyz'); sys.exit(c.getresponse().status != 200)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["binairo"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--data", "/data/jobs"]
