package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.codec.SampleMessages;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.transport.PathFigures;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Symbols in QUIC datagrams, over a real socket. */
class QuicDatagramTest {
  private static final int SYMBOLS = 200;

  @TempDir Path dir;

  @Test
  void symbolsArriveBesideMessages() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      int most =
          RecordingListeners.on(
              net.server.executor(), () -> net.server.maxSymbolBytes(worker.session()));
      assertTrue(
          most > PacketSize.NETWORK.bytes() - SymbolFrames.HEADER_BYTES, () -> most + " bytes");
      byte[] symbol = new byte[most];
      new Random(1).nextBytes(symbol);
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            for (int id = 0; id < SYMBOLS; id++) {
              net.server.send(
                  worker.session(),
                  new ChunkSymbol(id + 1, SampleMessages.HASH, 65_536, most, id, symbol));
            }
            net.server.flush();
          });
      for (int id = 0; id < SYMBOLS; id++) {
        ChunkSymbol got = worker.told().await(RecordingListeners.Event.Symbol.class).symbol();
        assertEquals(id, got.id(), "loopback loses nothing, and keeps the order");
        assertArrayEquals(symbol, got.bytes());
      }
      net.assertAlive(worker, 1);
    }
  }

  @Test
  void thePathIsMeasuredFromBothEnds() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      net.assertAlive(worker, 1);
      BlockingQueue<PathFigures> found = new LinkedBlockingQueue<>();
      RecordingListeners.run(
          net.server.executor(), () -> net.server.measure(worker.session(), found::add));
      RecordingListeners.run(worker.client().executor(), () -> worker.client().measure(found::add));
      for (int end = 0; end < 2; end++) {
        PathFigures figures = found.poll(RecordingListeners.PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertNotNull(figures);
        assertTrue(figures.rttNs() > 0, figures::toString);
        assertTrue(figures.windowBytes() > 0, figures::toString);
        assertTrue(figures.sentPackets() > 0, figures::toString);
      }
    }
  }

  @Test
  void aSessionThatHasEndedTakesNoSymbols() throws Exception {
    try (Loopback net = new Loopback(dir)) {
      Loopback.Joined worker = net.join("w1");
      worker.client().shutdown();
      var _ = net.leader.await(RecordingListeners.Event.Closed.class);
      RecordingListeners.run(
          net.server.executor(),
          () -> {
            assertEquals(0, net.server.maxSymbolBytes(worker.session()));
            net.server.send(
                worker.session(), new ChunkSymbol(1, SampleMessages.HASH, 9, 8, 0, new byte[8]));
            net.server.measure(worker.session(), _ -> assertEquals("nothing", "measured"));
            net.server.flush();
          });
    }
  }
}
