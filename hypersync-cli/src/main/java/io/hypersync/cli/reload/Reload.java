package io.hypersync.cli.reload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.ConfigurationSource;
import io.hypersync.cli.config.Problem;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.log.LogOutput;
import io.hypersync.cli.runtime.PlanChecks;
import io.hypersync.cli.runtime.Reloading;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of a process that runs daemons, one after the other. It is read again by the
 * admin command {@code reload} and by SIGHUP: what can change does, what cannot is named, and
 * nothing changes if anything is wrong with it.
 *
 * <p>An agent that does not answer in time may have taken a change up, or will, and of two daemons
 * one may have. What changes while they run is then not known, so the next reading has all of it
 * taken up, even if there is no difference.
 *
 * <p>Any thread; one reading at a time. Agents take changes on their own threads, and a reading
 * waits for them.
 */
public final class Reload implements Reloading {
  private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

  private final ConfigurationSource source;
  private final Configuration first;
  private Configuration current;
  private @Nullable Daemon running;

  /** What may have another value in the daemon that runs than in {@link #current}. */
  private final Set<Setting<?>> unknown = new HashSet<>();

  private Reload(ConfigurationSource source, Configuration first) {
    this.source = source;
    this.first = first;
    this.current = first;
  }

  /**
   * Reads the configuration for the first time, has the log written as it says, and listens to
   * SIGHUP.
   *
   * @throws UserError if something is wrong with it
   */
  public static Reload begin(ConfigurationSource source) {
    Reload reload = of(source);
    LogOutput.follow(reload.first);
    HangUp.hear(reload::onSignal);
    return reload;
  }

  /** Reads the configuration for the first time. */
  static Reload of(ConfigurationSource source) {
    return new Reload(source, source.read());
  }

  /** What is in force, as far as every daemon has answered. */
  public synchronized Configuration current() {
    return current;
  }

  /**
   * This daemon runs from now on, until {@link #ended}. It takes up what has changed since the
   * process began, which it may have been started without.
   *
   * @throws UserError if its agent does not answer
   */
  @Override
  public synchronized void runs(Daemon daemon) {
    running = daemon;
    if (!current.equals(first)) {
      Tuning.apply(daemon, first, current, Set.of());
    }
  }

  /** No daemon runs. */
  @Override
  public synchronized void ended() {
    running = null;
    unknown.clear(); // the next one begins with its options
  }

  /**
   * Reads the configuration again. Blocks until the daemon that runs has taken up what can change.
   *
   * @throws UserError if something is wrong with it: what was in force is then; or if an agent does
   *     not answer: then the next reading has it take all up
   */
  public synchronized Reloaded again() {
    Configuration read = read();
    List<Setting<?>> now = new ArrayList<>();
    List<Change> changed = new ArrayList<>();
    List<Change> waiting = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      if (current.agrees(read, setting)) {
        if (unknown.contains(setting)) {
          changed.add(Change.ofUnknown(setting, read));
        }
        continue;
      }
      Change change = Change.of(setting, current, read);
      if (setting.changesWhileRunning()) {
        now.add(setting);
        changed.add(change);
      } else {
        waiting.add(change);
      }
    }
    Configuration next = mixed(read, now);
    Daemon daemon = running;
    if (daemon != null && !(now.isEmpty() && unknown.isEmpty())) {
      tune(daemon, next, now);
    }
    LogOutput.follow(next);
    current = next;
    Reloaded reloaded = new Reloaded(changed, waiting, read.ignored());
    LOG.info(
        LogEvent.CONFIG_RELOADED.marker(), "the configuration was read again: {}", reloaded.line());
    return reloaded;
  }

  private void tune(Daemon daemon, Configuration next, List<Setting<?>> now) {
    Set<Setting<?>> before = Set.copyOf(unknown);
    unknown.addAll(now); // unless it succeeds
    try {
      Tuning.apply(daemon, current, next, before);
    } catch (UserError e) {
      throw new UserError(
          e.message() + ": what has changed is not known",
          "The next reading has it take all settings up, even if the file is as it was:"
              + " ./hypersync config reload\n"
              + e.hint(),
          e.exitCode());
    }
    unknown.clear();
  }

  @Override
  public ObjectNode reload() {
    return again().json();
  }

  private Configuration read() {
    Optional<Path> file = source.existing();
    List<Problem> problems = file.map(source.reader()::problems).orElse(List.of());
    if (!problems.isEmpty()) {
      Problem worst = problems.getFirst();
      String more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
      throw new UserError(
          "nothing was changed: " + worst.origin() + ": " + worst.message() + more,
          "All of it: ./hypersync config check " + ShellWords.quoted(source.file()),
          UserError.USAGE);
    }
    Configuration read = source.read();
    List<UserError> errors = PlanChecks.errors(read);
    if (!errors.isEmpty()) {
      throw unchanged(errors.getFirst());
    }
    return read;
  }

  /** What can change must fit to what cannot, which stays as it is. */
  private Configuration mixed(Configuration read, List<Setting<?>> now) {
    try {
      return current.taking(read, now);
    } catch (UserError e) {
      throw new UserError(
          "nothing was changed: " + e.message(),
          "One of the two changes with a restart only: start the daemon again.",
          e.exitCode());
    }
  }

  private static UserError unchanged(UserError e) {
    return new UserError("nothing was changed: " + e.message(), e.hint(), e.exitCode());
  }

  private void onSignal() {
    try {
      var _ = again();
    } catch (UserError e) {
      LOG.error(
          LogEvent.CONFIG_REFUSED.marker(),
          "the configuration is not taken up: {}. {}",
          e.message(),
          e.hint());
    } catch (RuntimeException e) {
      LOG.error("internal error when the configuration was read again", e);
    }
  }
}
