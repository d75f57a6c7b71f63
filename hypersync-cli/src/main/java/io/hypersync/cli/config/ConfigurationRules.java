package io.hypersync.cli.config;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.FuseBackend;
import io.hypersync.worker.cache.CacheLimits;

/** Rules between settings whose values are each valid alone. */
final class ConfigurationRules {
  private static final int SYMBOL_ALIGNMENT = 8;

  private ConfigurationRules() {}

  /**
   * Checks all rules.
   *
   * @throws UserError naming the settings of the first violated rule
   */
  static void check(Configuration configuration) {
    atMost(configuration, Settings.WORKER_LEADER_STALE, Settings.WORKER_LEADER_TIMEOUT);
    atMost(configuration, Settings.WORKER_LEADER_TIMEOUT, Settings.WORKER_MUTATION_DEADLINE);
    atMost(configuration, Settings.LEADER_BATCH_MAX_OPS, Settings.LEADER_MAX_PENDING_INTENTS);
    if (configuration.get(Settings.REPLICATION_SYMBOL_SIZE) % SYMBOL_ALIGNMENT != 0) {
      throw said(
          configuration,
          Settings.REPLICATION_SYMBOL_SIZE,
          "must be a multiple of " + SYMBOL_ALIGNMENT);
    }
    long cache = configuration.get(Settings.WORKER_CACHE_MAX);
    if (cache != CacheLimits.NO_LIMIT && cache < CacheLimits.LEAST_BYTES) {
      throw said(
          configuration,
          Settings.WORKER_CACHE_MAX,
          "must be at least " + Units.formatSize(CacheLimits.LEAST_BYTES) + ", or 0B for no limit");
    }
    if (configuration.get(Settings.WORKER_FUSE_BACKEND) == FuseBackend.JNR
        && configuration.get(Settings.WORKER_INOTIFY)) {
      throw said(
          configuration,
          Settings.WORKER_INOTIFY,
          "needs fuse_backend = \"kernel\": through libfuse 2 nothing can be told to the kernel");
    }
    if (configuration.get(Settings.WORKER_FUSE_BACKEND) == FuseBackend.JNR
        && !configuration.get(Settings.WORKER_TAKEOVER_TIMEOUT).isZero()) {
      throw said(
          configuration,
          Settings.WORKER_TAKEOVER_TIMEOUT,
          "needs fuse_backend = \"kernel\": through libfuse 2 no mount is taken over");
    }
    if (configuration.find(Settings.WORKER_MOUNT).isPresent()
        && configuration
            .findPath(Settings.WORKER_MOUNT)
            .equals(configuration.findPath(Settings.WORKER_LOCAL_DIR))) {
      throw said(
          configuration,
          Settings.WORKER_LOCAL_DIR,
          "must be another folder than " + Settings.WORKER_MOUNT.key());
    }
    agentMail(configuration);
  }

  /** What needs a source or a server that is not named. */
  private static void agentMail(Configuration configuration) {
    boolean hasServer = !configuration.get(Settings.AGENT_MAIL_URL).isEmpty();
    if (configuration.get(Settings.AGENT_MAIL_MESSAGES) == Switch.ON && !hasServer) {
      throw said(
          configuration,
          Settings.AGENT_MAIL_MESSAGES,
          "needs " + Settings.AGENT_MAIL_URL.key() + ", where Agent Mail's server answers");
    }
    boolean hasArchive = !configuration.get(Settings.AGENT_MAIL_ARCHIVE).isEmpty();
    if (configuration.get(Settings.AGENT_MAIL_ENFORCE) == Switch.ON && !hasServer && !hasArchive) {
      throw said(
          configuration,
          Settings.AGENT_MAIL_ENFORCE,
          "needs a source of reservations: "
              + Settings.AGENT_MAIL_ARCHIVE.key()
              + " or "
              + Settings.AGENT_MAIL_URL.key());
    }
  }

  private static <T extends Comparable<T>> void atMost(
      Configuration configuration, Setting<T> lesser, Setting<T> greater) {
    T low = configuration.get(lesser);
    T high = configuration.get(greater);
    if (low.compareTo(high) > 0) {
      Setting<T> guilty = configuration.origin(lesser) instanceof Origin.Default ? greater : lesser;
      throw said(
          configuration,
          guilty,
          lesser.key()
              + " ("
              + lesser.type().toToml().apply(low)
              + ") must not be more than "
              + greater.key()
              + " ("
              + greater.type().toToml().apply(high)
              + ")");
    }
  }

  private static UserError said(Configuration configuration, Setting<?> setting, String what) {
    String subject = what.startsWith("hypersync.") ? "" : setting.key() + " ";
    return new UserError(
        configuration.origin(setting) + ": " + subject + what, setting.doc(), UserError.USAGE);
  }
}
