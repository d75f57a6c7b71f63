package io.hypersync.worker.takeover;

/**
 * Which build a successor is of.
 *
 * @param version as {@code hypersync --version} shows it
 * @param revision of the messages that it exchanges with the leader
 */
public record SuccessorBuild(String version, int revision) {
  /** As {@link KeeperMessage} shows it. */
  String encoded() {
    return version + "\n" + revision;
  }

  /**
   * Reads what {@link #encoded} has written.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static SuccessorBuild decode(String text) {
    int end = text.indexOf('\n');
    if (end < 0) {
      throw new IllegalArgumentException("this is not a build");
    }
    return new SuccessorBuild(text.substring(0, end), Integer.parseInt(text.substring(end + 1)));
  }
}
