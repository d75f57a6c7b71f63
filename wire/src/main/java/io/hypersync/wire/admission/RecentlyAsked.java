package io.hypersync.wire.admission;

/**
 * Remembers which initial packets were answered with a Retry in the last half second. An identical
 * packet within that time is a copy in a flood: a worker that gets no answer repeats its packet
 * only after a second (RFC 9002 6.2.2). A hash table of fixed size without collision handling: a
 * packet that takes another one's slot makes that one forgotten, and its copy is answered again.
 * Not thread-safe.
 */
public final class RecentlyAsked {
  /** How long a repeated packet is ignored; less than a worker waits before it repeats one. */
  static final long REPEAT_NS = 500_000_000;

  /** Size of the table, a power of two. */
  private static final int PLACES = 4_096;

  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final long[] packets = new long[PLACES];
  private final long[] askedNs = new long[PLACES];

  /**
   * Makes an empty table.
   *
   * @param seed random, so that a peer cannot choose packets that collide
   */
  public RecentlyAsked(long seed) {
    this.seed = seed;
  }

  /**
   * Whether the packet repeats one that was answered less than {@link #REPEAT_NS} ago.
   *
   * @param id the packet's destination connection id, which its sender has chosen at random
   * @param nowNs the time of a monotonic clock
   */
  public boolean repeats(byte[] address, int port, byte[] id, long nowNs) {
    long packet = packet(address, port, id);
    int place = place(packet);
    return packets[place] == packet && nowNs - askedNs[place] < REPEAT_NS;
  }

  /** Records that the packet is answered now; parameters as for {@link #repeats}. */
  public void asked(byte[] address, int port, byte[] id, long nowNs) {
    long packet = packet(address, port, id);
    int place = place(packet);
    packets[place] = packet;
    askedNs[place] = nowNs;
  }

  private static int place(long packet) {
    return (int) (packet >>> 32) & (PLACES - 1);
  }

  /** A hash that is never 0, which marks an empty slot. */
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
