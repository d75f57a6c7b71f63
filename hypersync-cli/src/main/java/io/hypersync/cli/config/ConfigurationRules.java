package io.hypersync.cli.config;

import io.hypersync.worker.FuseBackend;
import io.hypersync.worker.cache.CacheLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Rules between settings whose values are each valid alone. */
final class ConfigurationRules {
  private static final int SYMBOL_ALIGNMENT = 8;

  /**
   * One rule.
   *
   * @param settings what it is about
   * @param check what is wrong, if anything is
   */
  private record Rule(
      List<Setting<?>> settings, Function<Configuration, Optional<Problem>> check) {}

  private static final List<Rule> RULES =
      List.of(
          atMost(Settings.WORKER_LEADER_STALE, Settings.WORKER_LEADER_TIMEOUT),
          atMost(Settings.WORKER_LEADER_TIMEOUT, Settings.WORKER_MUTATION_DEADLINE),
          atMost(Settings.LEADER_BATCH_MAX_OPS, Settings.LEADER_MAX_PENDING_INTENTS),
          that(
              Settings.REPLICATION_SYMBOL_SIZE,
              all -> all.get(Settings.REPLICATION_SYMBOL_SIZE) % SYMBOL_ALIGNMENT == 0,
              "must be a multiple of " + SYMBOL_ALIGNMENT),
          that(
              Settings.WORKER_CACHE_MAX,
              all ->
                  all.get(Settings.WORKER_CACHE_MAX) == CacheLimits.NO_LIMIT
                      || all.get(Settings.WORKER_CACHE_MAX) >= CacheLimits.LEAST_BYTES,
              "must be at least "
                  + Units.formatSize(CacheLimits.LEAST_BYTES)
                  + ", or 0B for no limit"),
          that(
              Settings.WORKER_INOTIFY,
              all -> !isJnr(all) || !all.get(Settings.WORKER_INOTIFY),
              "needs fuse_backend = \"kernel\": through libfuse 2 nothing can be told to the kernel",
              Settings.WORKER_FUSE_BACKEND),
          that(
              Settings.WORKER_TAKEOVER_TIMEOUT,
              all -> !isJnr(all) || all.get(Settings.WORKER_TAKEOVER_TIMEOUT).isZero(),
              "needs fuse_backend = \"kernel\": through libfuse 2 no mount is taken over",
              Settings.WORKER_FUSE_BACKEND),
          that(
              Settings.WORKER_LOCAL_DIR,
              all ->
                  all.find(Settings.WORKER_MOUNT).isEmpty()
                      || !all.findPath(Settings.WORKER_MOUNT)
                          .equals(all.findPath(Settings.WORKER_LOCAL_DIR)),
              "must be another folder than " + Settings.WORKER_MOUNT.key(),
              Settings.WORKER_MOUNT),
          that(
              Settings.AGENT_MAIL_MESSAGES,
              all -> all.get(Settings.AGENT_MAIL_MESSAGES) == Switch.OFF || hasServer(all),
              "needs " + Settings.AGENT_MAIL_URL.key() + ", where Agent Mail's server answers",
              Settings.AGENT_MAIL_URL),
          that(
              Settings.AGENT_MAIL_ENFORCE,
              all ->
                  all.get(Settings.AGENT_MAIL_ENFORCE) == Switch.OFF
                      || hasServer(all)
                      || !all.get(Settings.AGENT_MAIL_ARCHIVE).isEmpty(),
              "needs a source of reservations: "
                  + Settings.AGENT_MAIL_ARCHIVE.key()
                  + " or "
                  + Settings.AGENT_MAIL_URL.key(),
              Settings.AGENT_MAIL_ARCHIVE,
              Settings.AGENT_MAIL_URL));

  private ConfigurationRules() {}

  /**
   * Checks all rules.
   *
   * @throws io.hypersync.runtime.admin.UserError naming the settings of the first violated rule
   */
  static void check(Configuration configuration) {
    List<Problem> problems = problems(configuration, Set.of());
    if (!problems.isEmpty()) {
      throw problems.getFirst().error();
    }
  }

  /**
   * Returns what violates a rule.
   *
   * @param unknown settings whose values are wrong: nothing is said of rules that have one of them
   */
  static List<Problem> problems(Configuration configuration, Set<Setting<?>> unknown) {
    List<Problem> problems = new ArrayList<>();
    for (Rule rule : RULES) {
      if (rule.settings().stream().noneMatch(unknown::contains)) {
        rule.check().apply(configuration).ifPresent(problems::add);
      }
    }
    return problems;
  }

  private static boolean isJnr(Configuration all) {
    return all.get(Settings.WORKER_FUSE_BACKEND) == FuseBackend.JNR;
  }

  private static boolean hasServer(Configuration all) {
    return !all.get(Settings.AGENT_MAIL_URL).isEmpty();
  }

  /**
   * A rule that names one setting if it is violated.
   *
   * @param others what it is about besides
   */
  private static Rule that(
      Setting<?> setting, Predicate<Configuration> holds, String what, Setting<?>... others) {
    return new Rule(
        Stream.concat(Stream.of(setting), Stream.of(others)).toList(),
        all ->
            holds.test(all)
                ? Optional.empty()
                : Optional.of(said(all, setting, setting.key() + " " + what)));
  }

  private static <T extends Comparable<T>> Rule atMost(Setting<T> lesser, Setting<T> greater) {
    return new Rule(
        List.of(lesser, greater),
        all -> {
          T low = all.get(lesser);
          T high = all.get(greater);
          if (low.compareTo(high) <= 0) {
            return Optional.empty();
          }
          Setting<T> guilty = all.origin(lesser) instanceof Origin.Default ? greater : lesser;
          return Optional.of(
              said(
                  all,
                  guilty,
                  lesser.key()
                      + " ("
                      + lesser.type().toToml().apply(low)
                      + ") must not be more than "
                      + greater.key()
                      + " ("
                      + greater.type().toToml().apply(high)
                      + ")"));
        });
  }

  private static Problem said(Configuration all, Setting<?> setting, String what) {
    return new Problem(all.origin(setting), what, setting.doc());
  }
}
