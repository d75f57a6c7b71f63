package io.hypersync.worker.local;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has become of a local name of this host. It is kept, whatever it is. */
public enum LocalStanding {
  /** It is seen on the mount. */
  SHOWN,
  /** No pattern matches it any more; it is seen again with such a pattern. */
  HIDDEN,
  /** The replicated state has this name; it is seen again without that. */
  SHADOWED,
  /** Its replicated directory was removed, by another host. */
  ORPHANED;

  /**
   * What a name is now.
   *
   * @param path of the name, as of {@link IgnoreRules#text}; null if its directory is removed
   * @param isReplicated whether the state has the name
   */
  public static LocalStanding of(
      IgnoreRules rules, @Nullable List<String> path, boolean isDirectory, boolean isReplicated) {
    if (path == null) {
      return ORPHANED;
    }
    if (isReplicated) {
      return SHADOWED;
    }
    return rules.isLocal(path, isDirectory) ? SHOWN : HIDDEN;
  }
}
