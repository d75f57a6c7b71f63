package io.hypersync.worker;

import java.util.Arrays;
import java.util.Locale;

/** Who stands between the kernel and the filesystem of a mount (docs/decisions/034). */
public enum FuseBackend {
  /** The worker itself: it reads {@code /dev/fuse}, and the kernel caches what it may. */
  KERNEL,
  /** libfuse 2, called through jnr-fuse: by path, and the kernel caches nothing. */
  JNR;

  /**
   * Parses the lower-case text form.
   *
   * @throws IllegalArgumentException if there is no such backend
   */
  public static FuseBackend parse(String text) {
    return Arrays.stream(values())
        .filter(backend -> backend.text().equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(text));
  }

  /** Returns the lower-case form that {@link #parse} reads. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
