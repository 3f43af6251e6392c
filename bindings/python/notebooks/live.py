# %% [markdown]
# # Publish each hour as it ends
# Passengers of a bus line. A step is durable before anybody sees it, so this notebook may be killed at any cell and run
# again.

# %%
import chronoveil as cv

ledger = cv.Ledger("live.db")
try:
    bus = ledger["bus"]
except cv.ChronoveilError:
    bus = ledger.create("bus", epsilon=2, unit="user")
job = cv.Live(cv.Records(user="card", time="at"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"),
              max_steps=2, epsilon=2, name="bus", csv="published.csv")

# %% [markdown]
# Rows come in batches. Where rows are people they publish nothing by themselves: who is there must not decide what is
# published. You say which hours are over.

# %%
with job.open(bus) as session:
    for hour in range(6):
        cards = [row * 7 % 400 for row in range(100 + 40 * hour)]
        session.push({"card": cards, "at": [f"2026-03-01T{hour:02}:{row % 60:02}" for row in range(len(cards))]})
        for step in session.publish_until(f"2026-03-01T{hour + 1:02}:00"):
            print(f"{step.time}  {step.value:8.1f}  [{step.lower:.1f}, {step.upper:.1f}]")

# %%
job.status(bus)

# %%
bus
