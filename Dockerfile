# One container: the board over HTTP and the schedules, with the embedded stores on one volume.
FROM python:3.11-slim AS build
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY leaderboard ./leaderboard
COPY jobs ./jobs
COPY api ./api
COPY data ./data
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
 && python -m venv /opt/leaderboard \
 && /opt/leaderboard/bin/pip install --no-cache-dir -c constraints.txt /wheels/*.whl

FROM python:3.11-slim
# The root file system may be read-only: what libraries want to write beside the stores goes to /tmp.
ENV PATH=/opt/leaderboard/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    LEADERBOARD_HOME=/data
RUN useradd --system --uid 10001 --no-create-home leaderboard \
 && install --directory --owner leaderboard --mode 0700 /data
COPY --from=build /opt/leaderboard /opt/leaderboard
USER leaderboard
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["leaderboard", "serve", "--host", "0.0.0.0", "--port", "8000"]
