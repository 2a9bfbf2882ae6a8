"""Jobs: long work that runs in separate processes and survives a restart of the server.

`records` defines requests and records, and `submission` accepts them. `store` saves jobs in a
`database`, and `folder` has their files. `manager` starts and stops `runs`, and `runner` is the
process of one. `routes` is the HTTP API.
"""
