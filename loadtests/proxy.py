"""A TCP proxy that can fall silent: connections stay open, and nothing passes, as when a network is cut."""

import asyncio
import contextlib
import threading


class Proxy:
    """Passes everything between `port` and another port of this machine, in one thread until `close`."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._passes = asyncio.Event()
        self._passes.set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        start = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    def fall_silent(self) -> None:
        """Pass nothing from now on; new connections are accepted and get no answer."""
        self._loop.call_soon_threadsafe(self._passes.clear)

    def pass_again(self) -> None:
        """Pass all data again, first that of the silence."""
        self._loop.call_soon_threadsafe(self._passes.set)

    def close(self) -> None:
        """End the thread; connections are lost."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._passes.wait()
        try:
            there = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()  # the server does not run
            return
        await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                await self._passes.wait()
                target.write(data)
                await target.drain()
            await self._passes.wait()
        target.close()
