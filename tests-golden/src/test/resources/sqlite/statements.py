"""The sqlite3 module as a shell: carries out the statements that it reads, one a line, and shows what each gives."""

import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], isolation_level=None, uri=True)
for statement in sys.stdin:
    try:
        for row in database.execute(statement):
            print("|".join(map(str, row)), flush=True)
    except sqlite3.Error as failure:
        print("Error:", failure, flush=True)
