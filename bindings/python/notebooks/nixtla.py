# %% [markdown]
# # Beside StatsForecast
# Frames of chronoveil have the columns of Nixtla's libraries, unique_id, ds and y, in and out. Twenty made-up households:

# %%
import math

import pandas
from statsforecast import StatsForecast
from statsforecast.models import SeasonalNaive
from utilsforecast.evaluation import evaluate
from utilsforecast.losses import coverage, mae

import chronoveil as cv

hours = pandas.date_range("2026-01-12", periods=24 * 21, freq="h")
load = pandas.DataFrame({
    "unique_id": [f"m{meter:02}" for meter in range(20) for _ in hours],
    "ds": list(hours) * 20,
    "y": [round(50 + 30 * math.sin(hour.hour / 12 * math.pi) + (hour.day * 7 + meter * 3) % 11)
          for meter in range(20) for hour in hours],
})
past, future = load[load["ds"] < "2026-02-01"], load[load["ds"] >= "2026-02-01"]

# %% [markdown]
# A forecaster that is private debits a budget when it is fitted, once for all series. So it stands beside the models of
# StatsForecast, not among them: those are fitted to one series at a time, and read it as it is. Whoever may see the
# history may make either forecast; only the private model may be handed on.

# %%
households = cv.Ledger("nixtla.db").create("households", epsilon=4, delta=1e-5, unit="event", relation="replace_values")
forecaster = cv.Forecaster(households, start="2026-01-12", end="2026-02-01", length="1h", unit="event", epsilon=2, delta=1e-6,
                           keys=[f"m{meter:02}" for meter in range(20)], forecast_length=24, output="nixtla.cvm")
private = forecaster.fit(past).predict(past)
naive = StatsForecast(models=[SeasonalNaive(season_length=24)], freq="h").forecast(df=past, h=24, level=[80, 90])
table = future.merge(private, on=["unique_id", "ds"]).merge(naive, on=["unique_id", "ds"])
evaluate(table, metrics=[mae, coverage], level=[80, 90], agg_fn="mean")

# %% [markdown]
# What is released is private already: any model of theirs may be fitted to it, at no further cost.

# %%
trips = {"card": [f"c{row % 900}" for row in range(20_000)],
         "ts": [f"2026-03-{1 + row % 7:02}T{row * 7 % 24:02}:{row % 60:02}" for row in range(20_000)]}
city = cv.Ledger("nixtla.db").create("city", epsilon=2, delta=1e-5, unit="user")
release = cv.Counts(cv.Records(trips, user="card", time="ts"), cv.Slots("2026-03-01", "2026-03-08", "1h"), max_steps=20,
                    epsilon=1, delta=1e-6).run(city)
StatsForecast(models=[SeasonalNaive(season_length=24)], freq="h").forecast(df=release.to_nixtla(), h=24).head()
