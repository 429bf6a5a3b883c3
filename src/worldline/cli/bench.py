"""`worldline bench`: the benchmark, one command a stage."""

from worldline.cli import predict
from worldline.cli.common import verb_app

app = verb_app("Benchmark a world model on recorded turns, one command a stage.")
app.command("infer")(predict.predict)


@app.callback()
def _group() -> None:
    """Benchmark a world model on recorded turns."""
