# What of ipywidgets 8.1 this project uses; ipywidgets ships no types.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from traitlets import HasTraits

Options = Sequence[tuple[str, Any]] | Sequence[str] | Mapping[str, Any]
MimeData = dict[str, Any]

class Widget(HasTraits):
    model_id: str
    def close(self) -> None: ...
    def on_msg(self, callback: Callable[[Any, Any, Any], None], remove: bool = ...) -> None: ...
    def _repr_mimebundle_(self, **kwargs: Any) -> MimeData | tuple[MimeData, MimeData] | None: ...

class Layout(Widget):
    display: str | None
    max_height: str | None
    overflow: str | None
    def __init__(self, **kwargs: str | None) -> None: ...

class DOMWidget(Widget):
    layout: Layout
    tooltip: str | None
    def add_class(self, className: str) -> DOMWidget: ...

class Box(DOMWidget):
    children: tuple[Widget, ...]
    def __init__(self, children: Iterable[Widget] = ..., *, layout: Layout | Mapping[str, str] = ...) -> None: ...

class VBox(Box): ...

class _Described(DOMWidget):
    description: str
    disabled: bool

class _Selection(_Described):
    options: Any
    value: Any
    index: int | None
    label: str | None

class Dropdown(_Selection):
    def __init__(
        self,
        *,
        options: Options = ...,
        value: Any = ...,
        description: str = ...,
        tooltip: str = ...,
        style: Mapping[str, str] = ...,
        layout: Layout | Mapping[str, str] = ...,
    ) -> None: ...

class ToggleButtons(_Selection):
    tooltips: Sequence[str]
    def __init__(
        self,
        *,
        options: Options = ...,
        value: Any = ...,
        description: str = ...,
        tooltips: Sequence[str] = ...,
        style: Mapping[str, str] = ...,
        layout: Layout | Mapping[str, str] = ...,
    ) -> None: ...

class Text(_Described):
    value: str
    placeholder: str
    def __init__(
        self,
        *,
        value: str = ...,
        placeholder: str = ...,
        description: str = ...,
        continuous_update: bool = ...,
        tooltip: str = ...,
        style: Mapping[str, str] = ...,
        layout: Layout | Mapping[str, str] = ...,
    ) -> None: ...

class BoundedIntText(_Described):
    value: int
    min: int
    max: int
    def __init__(
        self,
        *,
        value: int = ...,
        min: int = ...,
        max: int = ...,
        description: str = ...,
        tooltip: str = ...,
        style: Mapping[str, str] = ...,
        layout: Layout | Mapping[str, str] = ...,
    ) -> None: ...

class Button(_Described):
    def __init__(
        self, *, description: str = ..., tooltip: str = ..., layout: Layout | Mapping[str, str] = ...
    ) -> None: ...
    def on_click(self, callback: Callable[[Button], None], remove: bool = ...) -> None: ...
    def click(self) -> None: ...

class HTML(_Described):
    value: str
    def __init__(self, value: str = ..., *, layout: Layout | Mapping[str, str] = ...) -> None: ...
