"""Usage, latency, errors, and the events of one item.

Errors, counts, events and provider outcomes enter the buffer of `signet.observe.record`, which never blocks. This
package empties it (`flush`), stores the contents (`write`, `sql`) and reads them.
"""
