package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many pages the kernel puts into one request: {@code fs.fuse.max_pages_limit}, which a
 * connection takes over when it is mounted (Linux 6.13 and later).
 *
 * <p>The default, 256, is 1 MiB for memory that begins with a page. A large block of malloc begins
 * behind its header, so a write of 1 MiB from there would be two requests, and two commits.
 */
final class RequestPages {
  private static final Logger LOG = LoggerFactory.getLogger(RequestPages.class);
  private static final Path LIMIT = Path.of("/proc/sys/fs/fuse/max_pages_limit");

  /** 1 MiB, and the page that it may end in. */
  private static final int PAGES = 257;

  private RequestPages() {}

  /** Raises the limit of this machine, if it is lower and may be raised. */
  static void allow() {
    if (!Files.exists(LIMIT)) {
      return;
    }
    try {
      if (Integer.parseInt(Files.readString(LIMIT).strip()) < PAGES) {
        Files.writeString(LIMIT, PAGES + "\n");
        LOG.info("{} is {} now: a write of 1 MiB is one request", LIMIT, PAGES);
      }
    } catch (IOException | NumberFormatException e) {
      LOG.debug("{} stays", LIMIT, e);
    }
  }
}
