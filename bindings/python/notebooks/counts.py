# %% [markdown]
# # Publish counts
# A made-up week of cards that pass three sensors of a city. What is released exposes no cardholder.

# %%
import polars

import chronoveil as cv

trips = polars.DataFrame({
    "card": [f"c{row % 900}" for row in range(20_000)],
    "ts": [f"2026-03-{1 + row % 7:02}T{row * 7 % 24:02}:{row % 60:02}" for row in range(20_000)],
    "sensor": [("S01", "S02", "S03")[row % 3] for row in range(20_000)],
})

# %% [markdown]
# The budget comes first. It is fixed once and lasts: every release about these people is paid from it.

# %%
city = cv.Ledger("counts.db").create("city", epsilon=4, delta=1e-5, unit="user")
city

# %% [markdown]
# A job says what is public (the sensors, the span, the cap of 20 hours per card) and what is protected (a card, with
# everything it did). A plan costs nothing and sees no data.

# %%
job = cv.Counts(cv.Records(trips, user="card", time="ts", series="sensor", zone="Europe/Berlin", name="trips"),
                cv.Slots("2026-03-01T00:00", "2026-03-08T00:00", "1h"),
                keys=["S01", "S02", "S03"], max_steps=20, epsilon=1, delta=1e-6)
job.plan().compare()

# %% [markdown]
# `run` debits, reads, draws, in this order.

# %%
release = job.run(city)
release

# %%
release.plot();

# %%
city

# %% [markdown]
# The same job as a file, for a cron job that reads a CSV:

# %%
print(job.to_toml(city, source="trips.csv"))

# %% [markdown]
# What is released may be used by anybody for anything, at no further cost: here by a pipeline of sktime.

# %%
from sktime.forecasting.naive import NaiveForecaster
from sktime.transformations.series.exponent import SqrtTransformer

rows = release.to_pandas()
hourly = rows[rows["series"] == "S01"].set_index("time")["value"].clip(lower=0).tz_localize(None).asfreq("h")
pipeline = SqrtTransformer() * NaiveForecaster(strategy="mean", sp=24)
pipeline.set_config(remember_data=False)
pipeline.fit(hourly).predict(fh=range(1, 25)).head()
