"""Keep some mutants of a session of cosmic-ray, drawn at random: ``python -m tests.support.sampling SESSION NUMBER SEED``."""

import random
import sqlite3
import sys

session, number, seed = sys.argv[1:]
with sqlite3.connect(session) as database:
    jobs = database.execute(
        "SELECT job_id, job_id IN (SELECT job_id FROM work_results) FROM mutation_specs"
        " ORDER BY module_path, operator_name, occurrence"
    ).fetchall()
    possible = [job for job, is_skipped in jobs if not is_skipped]
    kept = set(random.Random(int(seed)).sample(possible, min(int(number), len(possible))))
    for table in ("work_results", "mutation_specs", "work_items"):
        left_out = [(job,) for job, _ in jobs if job not in kept]
        database.executemany(f"DELETE FROM {table} WHERE job_id = ?", left_out)
