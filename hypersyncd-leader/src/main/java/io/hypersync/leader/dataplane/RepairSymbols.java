package io.hypersync.leader.dataplane;

/** How many repair symbols a chunk gets. */
final class RepairSymbols {
  /**
   * With three standard deviations more than are lost on the average about one chunk in 700 fails.
   */
  private static final double DEVIATIONS = 3;

  /** A path that loses more than this is not made good by repair symbols alone. */
  private static final double MOST_LOSS = 0.4;

  private RepairSymbols() {}

  /**
   * At least the overhead that is asked for, and enough that the losses of most chunks are made
   * good without a question: one more than are needed, because K of the symbols do not always
   * suffice.
   *
   * @param sourceSymbols K
   * @param overhead least share of K
   * @param loss share of the packets that are lost, 0 to 1
   */
  static int count(int sourceSymbols, double overhead, double loss) {
    int least = (int) Math.ceil(sourceSymbols * overhead);
    if (loss <= 0) {
      return least;
    }
    double lost = Math.min(loss, MOST_LOSS);
    // Of n = K + r symbols n * loss are lost on the average, and K + 1 must arrive.
    double arriving = 1 - lost;
    double deviation = Math.sqrt(sourceSymbols * lost) / arriving;
    double needed = sourceSymbols * lost / arriving + DEVIATIONS * deviation + 1;
    return Math.max(least, (int) Math.ceil(needed));
  }
}
