package io.hypersync.sim.check;

import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.dataplane.DataPlaneStatus;
import io.hypersync.leader.dataplane.MulticastStatus;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.worker.dataplane.ReceivedBlock;

/** Judges chunks that are sent unasked, as symbols (hypersync.md 12.2 to 12.4). */
public final class DataPlaneChecker {
  private DataPlaneChecker() {}

  /**
   * The symbols of a chunk are about to be sent. With what is on its way already they are no more
   * than the window, except that one chunk always may be.
   */
  public static void sending(DataPlaneStatus status, DataPlaneSettings.Limits limits) {
    Violation.unless(
        status.onTheWayBytes() <= limits.mostWindowBytes() || status.onTheWay() <= 1,
        status.onTheWayBytes(),
        " bytes are on their way to a worker, and the window is ",
        limits.mostWindowBytes());
    Violation.unless(
        status.waitingBytes() <= limits.waitingBytes(),
        status.waitingBytes(),
        " bytes wait for a worker");
  }

  /**
   * A worker counts as one that hears what goes to all.
   *
   * @param silentNs how long it has told of nothing new
   * @param toleranceNs how long it may
   */
  public static void hears(long silentNs, long toleranceNs) {
    Violation.unless(
        silentNs <= toleranceNs, "a worker that has told of nothing for ", silentNs, " ns hears");
  }

  /**
   * Something is about to be sent to all.
   *
   * @param sentBytes what was sent before
   * @param elapsedNs since the leader's start
   */
  public static void sendingToAll(
      DataPlaneSettings settings, MulticastStatus status, long sentBytes, long elapsedNs) {
    Violation.unless(
        status.waitingBytes() <= settings.limits().waitingBytes(),
        status.waitingBytes(),
        " bytes wait for all");
    double allowed =
        settings.multicastBurstBytes()
            + settings.multicastBytesPerSecond() * (elapsedNs / 1_000_000_000.0);
    Violation.unless(
        sentBytes <= allowed + 1, sentBytes, " bytes were sent to all, allowed are ", allowed);
  }

  /** Symbols should be enough for a chunk: as many different ones of it as its source has. */
  public static void decoding(ReceivedBlock block) {
    long different = block.symbols().stream().mapToInt(ChunkSymbol::id).distinct().count();
    Violation.unless(
        different >= block.block().sourceSymbols() && different == block.symbols().size(),
        different,
        " different symbols are taken for ",
        block.block());
    for (ChunkSymbol symbol : block.symbols()) {
      Violation.unless(
          symbol.chunk().equals(block.chunk()),
          "a symbol of another chunk is taken for ",
          block.chunk());
    }
  }

  /** A chunk was made of symbols, and is about to be stored. */
  public static void decoded(Hash chunk, byte[] bytes) {
    Violation.unless(Blake3.hash(bytes).equals(chunk), "symbols give a damaged chunk ", chunk);
  }
}
