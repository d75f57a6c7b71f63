package io.hypersync.leader.placement;

import java.util.random.RandomGenerator;

/**
 * What is believed of a worker's mean cost (hypersync.md 15.1): a normal distribution whose mean
 * and variance are both unknown, with the conjugate prior (normal-inverse-gamma). What was observed
 * counts less as it gets older, so that the belief follows a worker that changes, and gets wider
 * when nothing is heard.
 */
final class CostPosterior {
  /** After this time an observation counts 1/e. */
  static final double FORGET_NS = 30_000_000_000.0;

  private static final double PRIOR_MEAN = 0.3;
  private static final double PRIOR_WEIGHT = 0.5;
  private static final double PRIOR_SHAPE = 1.5;
  private static final double PRIOR_RATE = 0.01;

  /** More are never needed: 19 of 20 tries succeed. */
  private static final int MOST_TRIES = 64;

  private double weight;
  private double mean;

  /** Sum of the squared distances from the mean, each with its weight. */
  private double squares;

  private long seenNs;

  /** Takes a cost, 0 to 2. */
  void observe(double cost, long nowNs) {
    forget(nowNs);
    weight += 1;
    double delta = cost - mean;
    mean += delta / weight;
    squares += delta * (cost - mean);
  }

  /** What was observed counts as much as it does now. */
  void forget(long nowNs) {
    double kept = Math.exp(-Math.max(0, nowNs - seenNs) / FORGET_NS);
    weight *= kept;
    squares *= kept;
    seenNs = nowNs;
  }

  /** The most likely mean cost. */
  double mean() {
    return (PRIOR_WEIGHT * PRIOR_MEAN + weight * mean) / (PRIOR_WEIGHT + weight);
  }

  /** The scale of the belief about the mean: about its standard deviation. */
  double deviation() {
    return Math.sqrt(rate() / shape() / (PRIOR_WEIGHT + weight));
  }

  /** How many observations it rests on, old ones as parts of one. */
  double weight() {
    return weight;
  }

  /** A mean cost, as likely as the posterior says. */
  double sample(RandomGenerator random) {
    double precision = gamma(shape(), random) / rate();
    return mean() + random.nextGaussian() / Math.sqrt(precision * (PRIOR_WEIGHT + weight));
  }

  private double shape() {
    return PRIOR_SHAPE + weight / 2;
  }

  private double rate() {
    double off = mean - PRIOR_MEAN;
    return PRIOR_RATE
        + squares / 2
        + PRIOR_WEIGHT * weight * off * off / (2 * (PRIOR_WEIGHT + weight));
  }

  /**
   * A number of the gamma distribution with rate 1, by Marsaglia and Tsang's method.
   *
   * @param shape at least 1
   */
  private static double gamma(double shape, RandomGenerator random) {
    double d = shape - 1.0 / 3;
    double c = 1 / Math.sqrt(9 * d);
    for (int tried = 0; tried < MOST_TRIES; tried++) {
      double x = random.nextGaussian();
      double root = 1 + c * x;
      double v = root * root * root;
      if (v > 0 && Math.log(1 - random.nextDouble()) < x * x / 2 + d * (1 - v + Math.log(v))) {
        return d * v;
      }
    }
    return d; // about the middle
  }
}
