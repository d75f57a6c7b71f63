package io.hypersync.worker.fuse.session;

import java.io.IOException;

/** Why the session of a mount has ended, or must not go on. */
public sealed interface SessionEnd {
  /** Another process has unmounted it. */
  record Unmounted() implements SessionEnd {}

  /** This process has closed it. */
  record Closed() implements SessionEnd {}

  /** Requests can no longer be read from the device; it may be mounted still. */
  record DeviceFailed(IOException why) implements SessionEnd {}

  /**
   * The kernel has refused a notification, so it may cache old names or data. No mount is better
   * than a wrong one.
   */
  record NotificationRefused(IOException why) implements SessionEnd {}
}
