"""The HTTP service: an API, jobs and a web page.

`app.create_app` creates the FastAPI app and `server.serve` runs it. Solvers run in worker
processes. Only puzzles that are cheap to decide are decided in the process of the server.
"""
