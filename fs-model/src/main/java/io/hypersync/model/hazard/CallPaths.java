package io.hypersync.model.hazard;

/**
 * The paths by which a call has named what it changes: from the workspace's root, without a slash
 * before them. Files do not know their names, and the leader would have to search the whole tree
 * for them; a worker has looked them up just before. Whoever uses them checks them first.
 *
 * @param first of the file, or of the name that is removed or changed; empty if not known
 * @param second of the new name of a rename, else empty
 */
public record CallPaths(byte[] first, byte[] second) {
  /** Nothing is known. */
  public static final CallPaths NONE = new CallPaths(new byte[0], new byte[0]);

  /**
   * Checks the lengths.
   *
   * @throws IllegalArgumentException if a path is longer than {@link Hazard#MAX_PATH_BYTES}
   */
  public CallPaths {
    if (first.length > Hazard.MAX_PATH_BYTES || second.length > Hazard.MAX_PATH_BYTES) {
      throw new IllegalArgumentException(
          "paths of " + first.length + " and " + second.length + " bytes");
    }
  }
}
