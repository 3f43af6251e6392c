# %% [markdown]
# # Mean speeds on a map
# Made-up buses report their speed and position. Released are means per hexagon and half day; what is protected are the
# speeds of each bus, and not where it was: its timetable is public.

# %%
import math

import chronoveil as cv

rows = range(12_000)
speeds = {
    "bus": [f"b{row % 300}" for row in rows],
    "at": [f"2026-03-02T{row * 5 % 24:02}:{row % 60:02}" for row in rows],
    "lon": [8.50 + row % 17 / 400 for row in rows],
    "lat": [47.35 + row % 13 / 400 for row in rows],
    "speed": [30 + 15 * math.sin(row % 17 / 3) for row in rows],
}
buses = cv.Ledger("means.db").create("buses", epsilon=2, relation="replace_values")

# %%
job = cv.Means(cv.Records(speeds, user="bus", time="at", value="speed", longitude="lon", latitude="lat"),
               cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "12h"),
               places=cv.Grid(8.49, 47.34, 8.55, 47.39, size=1500), lower=0, upper=65, counts="public", max_cells=4,
               epsilon=1)
release = job.run(buses)
release

# %%
import matplotlib.pyplot as pyplot

morning = release.to_pandas().query("slot == slot.min()").dropna()
pyplot.scatter(morning["longitude"], morning["latitude"], c=morning["mean"], marker="h", s=300)
pyplot.colorbar(label="km/h");

# %% [markdown]
# The same with the cells of H3: the cells that touch the box are the public list.

# %%
by_h3 = cv.Means(cv.Records(speeds, user="bus", time="at", value="speed", longitude="lon", latitude="lat"),
                 cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "12h"),
                 places=cv.H3(7, (8.49, 47.34, 8.55, 47.39)), lower=0, upper=65, counts="public", max_cells=4,
                 epsilon=1)
by_h3.run(buses, confirmed=True)

# %%
buses
