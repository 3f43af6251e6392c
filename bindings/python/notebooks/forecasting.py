# %% [markdown]
# # Train a forecaster on sensitive series
# A hundred made-up households. The model may be handed on: it hides any single reading. It is trained by the program
# `chronoveil-forecast`, which must be on the PATH.

# %%
import math

import polars

import chronoveil as cv

hours, meters = 24 * 28, 100
load = polars.DataFrame({
    "meter": [f"m{meter:03}" for _ in range(hours) for meter in range(meters)],
    "time": [f"2026-01-{12 + hour // 24:02}T{hour % 24:02}:00" if hour < 480 else
             f"2026-02-{hour // 24 - 19:02}T{hour % 24:02}:00" for hour in range(hours) for _ in range(meters)],
    "value": [round(50 + 30 * math.sin(hour / 24 * 2 * math.pi) + meter % 7) for hour in range(hours)
              for meter in range(meters)],
})
households = cv.Ledger("forecasting.db").create("households", epsilon=5, delta=1e-5, unit="event",
                                                relation="replace_values")

# %%
job = cv.Train(cv.Records(load, series="meter", time="time", value="value"),
               cv.Slots("2026-01-12T00:00", "2026-02-09T00:00", "1h"), keys=[f"m{meter:03}" for meter in range(meters)],
               unit="event", epsilon=2, delta=1e-6, model="simple_feed_forward", context_length=24, forecast_length=24,
               batch_size=50, steps=50, learning_rate=3e-3, output="load.cvm")
job.plan()

# %% [markdown]
# One debit for the whole training, before a row is read.

# %%
model = job.run(households)
households

# %% [markdown]
# The forecast begins after the last row of a history. It shows that history, so it is for those who may see it.

# %%
forecast = model.forecast(load, series="meter")
forecast.to_nixtla().head()

# %% [markdown]
# The columns are those of Nixtla's libraries, whose `utilsforecast` scores it against the day that followed:

# %%
from utilsforecast.evaluation import evaluate
from utilsforecast.losses import coverage, mae

table = forecast.to_nixtla()
table["y"] = [round(50 + 30 * math.sin(time.hour / 24 * 2 * math.pi) + int(meter[1:]) % 7)
              for meter, time in zip(table["unique_id"], table["ds"])]
evaluate(table, metrics=[mae, coverage], level=[80, 90], agg_fn="mean")

# %% [markdown]
# The same as the last step of a pipeline of scikit-learn. `fit` debits, like every training. What stands before it may
# rename and reshape, but must not learn anything from the rows: no budget would pay for that.

# %%
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

columns = FunctionTransformer(lambda rows: rows.rename({"meter": "unique_id", "time": "ds", "value": "y"}))
forecaster = cv.Forecaster(households, start="2026-01-12T00:00", end="2026-02-09T00:00", length="1h", output="pipeline.cvm",
                           keys=[f"m{meter:03}" for meter in range(meters)], unit="event", epsilon=2, delta=1e-6,
                           model="simple_feed_forward", context_length=24, forecast_length=24, batch_size=50, steps=50,
                           learning_rate=3e-3)
pipeline = Pipeline([("columns", columns), ("forecast", forecaster)])
pipeline.fit(load).predict(load).head()

# %%
households
