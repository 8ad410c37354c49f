"""How many lines each section takes, with sums that stay cheap while sections are measured one by one."""

from __future__ import annotations


class Heights:
    """A Fenwick tree over section heights: a height is set, and a line found, in O(log n).

    Every section starts with an estimate; `set` replaces it once the section was laid out. A plain list of prefix sums
    would cost O(n) for each section that comes into view.
    """

    def __init__(self, count: int, estimate: int) -> None:
        self.count = count
        self.estimate = estimate
        self._tree = [estimate * (index & -index) for index in range(count + 1)]
        self._measured: dict[int, int] = {}
        self._top = 1 << (count.bit_length() - 1) if count else 0
        self.total = estimate * count

    def is_measured(self, index: int) -> bool:
        """Say whether the height of this section is known, not estimated."""
        return index in self._measured

    def height(self, index: int) -> int:
        """Return the height of one section, estimated or measured."""
        return self._measured.get(index, self.estimate)

    def set(self, index: int, height: int) -> int:
        """Record a measured height; returns by how much the total changed."""
        change = height - self.height(index)
        self._measured[index] = height
        if change:
            self.total += change
            at = index + 1
            while at <= self.count:
                self._tree[at] += change
                at += at & -at
        return change

    def offset(self, index: int) -> int:
        """Return the first line of a section."""
        total = 0
        at = min(index, self.count)
        while at:
            total += self._tree[at]
            at -= at & -at
        return total

    def find(self, line: int) -> tuple[int, int]:
        """Return the section that holds `line`, and the line within it; the last section for lines beyond."""
        if not self.count:
            return 0, 0
        at = 0
        rest = max(line, 0)
        step = self._top
        while step:
            if at + step <= self.count and self._tree[at + step] <= rest:
                at += step
                rest -= self._tree[at]
            step >>= 1
        if at >= self.count:
            last = self.count - 1
            return last, self.height(last) + rest
        return at, rest
