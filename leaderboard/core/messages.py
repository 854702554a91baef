"""A chat message as every provider takes it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """`role` is system, user or assistant."""

    role: str
    content: str

    def as_dict(self) -> dict[str, str]:
        return {"role": self.role, "content": self.content}
