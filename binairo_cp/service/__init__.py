"""The HTTP service: an app that asks warm workers, keeps jobs, and shows one page.

`app.create_app` makes the app and `server.run` runs it. Solvers never run in its process.
"""
