package io.hypersync.leader.dataplane;

/**
 * How the leader sends chunks to workers (hypersync.md 12.2, 16).
 *
 * @param mode what decides between streams and datagrams
 * @param symbolBytes the largest symbol, in bytes; the path to a worker may allow less
 * @param repairOverhead the least share of repair symbols, of the source symbols; lost packets
 *     raise it
 * @param limits how much is sent to a worker before it tells of it
 * @param multicastBytesPerSecond the most that is sent to all workers at once, 1 to {@link
 *     #MAX_MULTICAST_RATE}
 */
public record DataPlaneSettings(
    Mode mode,
    int symbolBytes,
    double repairOverhead,
    Limits limits,
    long multicastBytesPerSecond) {
  /** The largest {@link #multicastBytesPerSecond}: 8 GiB. */
  public static final long MAX_MULTICAST_RATE = 8L << 30;

  private static final long MULTICAST_RATE = 50L << 20;

  /** The rate holds over this part of a second: the agent's timer runs a hundred times. */
  private static final long BURSTS_PER_SECOND = 100;

  /** A burst has at least this part of what may be on its way to one worker. */
  private static final int BURSTS_PER_WINDOW = 8;

  /** The smallest {@link #symbolBytes}: 64 KiB are then 1,024 symbols, the most of a block. */
  public static final int MIN_SYMBOL_BYTES = 64;

  /** The largest {@link #symbolBytes}. */
  public static final int MAX_SYMBOL_BYTES = 65_528;

  /** The largest {@link #repairOverhead}. */
  public static final double MAX_REPAIR_OVERHEAD = 4;

  /** The values of the specification. */
  public static final DataPlaneSettings DEFAULT =
      new DataPlaneSettings(Mode.AUTO, 1280, 0.10, Limits.DEFAULT);

  /**
   * What is kept for each worker, and no more, whatever it does (hypersync.md 12.4).
   *
   * @param leastWindowBytes so much may be on its way in datagrams in any case, and always a chunk
   * @param mostWindowBytes and no more than this; beyond 8 MiB datagrams would be dropped on this
   *     host ({@code wire.quic})
   * @param waitingBytes of chunks that may wait until more may be on its way; they are kept as
   *     references. Beyond this the worker has to ask
   */
  public record Limits(long leastWindowBytes, long mostWindowBytes, long waitingBytes) {
    private static final long MIB = 1L << 20;

    /** For networks of any speed. */
    public static final Limits DEFAULT = new Limits(2 * MIB, 6 * MIB, 64 * MIB);
  }

  /** What decides how chunks are sent. */
  public enum Mode {
    /** For each worker what the network between is like. */
    AUTO,
    /** Always streams. */
    STREAMS,
    /** Datagrams to all workers that take them. */
    DATAGRAMS,
    /** To all workers at once that hear it; to each of the others as its network is. */
    MULTICAST
  }

  /** With the default rate of what is sent to all workers at once. */
  public DataPlaneSettings(Mode mode, int symbolBytes, double repairOverhead, Limits limits) {
    this(mode, symbolBytes, repairOverhead, limits, MULTICAST_RATE);
  }

  /** How much may be sent to all workers at once, without a pause. */
  public long multicastBurstBytes() {
    return Math.max(
        Math.max(1, limits.leastWindowBytes / BURSTS_PER_WINDOW),
        multicastBytesPerSecond / BURSTS_PER_SECOND);
  }

  /** Rejects values out of range, with {@link IllegalArgumentException}. */
  public DataPlaneSettings {
    if (symbolBytes < MIN_SYMBOL_BYTES || symbolBytes > MAX_SYMBOL_BYTES) {
      throw new IllegalArgumentException("symbols of " + symbolBytes + " bytes");
    }
    if (multicastBytesPerSecond < 1 || multicastBytesPerSecond > MAX_MULTICAST_RATE) {
      throw new IllegalArgumentException(multicastBytesPerSecond + " bytes a second to all");
    }
    if (!(repairOverhead >= 0 && repairOverhead <= MAX_REPAIR_OVERHEAD)) {
      throw new IllegalArgumentException("a repair overhead of " + repairOverhead);
    }
  }
}
