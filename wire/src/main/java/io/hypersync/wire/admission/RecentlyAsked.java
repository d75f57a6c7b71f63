package io.hypersync.wire.admission;

/**
 * Which first packets were answered a moment ago by asking their sender to prove its address. The
 * same one again, so soon, is a copy that somebody makes many of: a worker that hears nothing says
 * its own again after a second (RFC 9002 6.2.2). Bounded: of two that meet in a place the older one
 * is forgotten, and would be answered again. Used by one thread.
 */
public final class RecentlyAsked {
  /** For so long a repetition is not answered; less than a worker waits before it repeats. */
  static final long REPEAT_NS = 500_000_000;

  /** A power of two. */
  private static final int PLACES = 4_096;

  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final long[] packets = new long[PLACES];
  private final long[] askedNs = new long[PLACES];

  /**
   * Nobody was asked.
   *
   * @param seed random, so that nobody can choose what meets in a place
   */
  public RecentlyAsked(long seed) {
    this.seed = seed;
  }

  /**
   * Whether the packet repeats one that was answered a moment ago.
   *
   * @param id that it was sent to, which its sender has chosen at random
   * @param nowNs the time of a monotonic clock
   */
  public boolean repeats(byte[] address, int port, byte[] id, long nowNs) {
    long packet = packet(address, port, id);
    int place = place(packet);
    return packets[place] == packet && nowNs - askedNs[place] < REPEAT_NS;
  }

  /** The packet is answered now. */
  public void asked(byte[] address, int port, byte[] id, long nowNs) {
    long packet = packet(address, port, id);
    int place = place(packet);
    packets[place] = packet;
    askedNs[place] = nowNs;
  }

  private static int place(long packet) {
    return (int) (packet >>> 32) & (PLACES - 1);
  }

  /** Never 0, which an empty place has. */
  private long packet(byte[] address, int port, byte[] id) {
    long mixed = mix(mix(seed, address) ^ port, id);
    return mixed == 0 ? 1 : mixed;
  }

  private static long mix(long begin, byte[] bytes) {
    long mixed = begin;
    for (byte next : bytes) {
      mixed = (mixed ^ next) * FACTOR;
      mixed ^= mixed >>> 29;
    }
    return mixed;
  }
}
