"""Jobs: long work that runs in separate processes and survives a restart of the server.

`models` defines the requests, `submission` accepts them, `store` saves them, `manager` starts and
stops the processes, `runner` is the process of one job, and `routes` is the HTTP API.
"""
