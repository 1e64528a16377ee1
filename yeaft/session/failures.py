"""What a group of tasks has failed of, as one error that can be told."""

from yeaft.kernel.errors import YeaftError


def one_of(failures: ExceptionGroup[Exception]) -> Exception:
    """Return what the user can understand of what a group of tasks raised; the whole group if there is nothing."""
    return next((error for error in failures.exceptions if isinstance(error, YeaftError)), failures)
