package io.hypersync.coordination.daemon;

import io.hypersync.runtime.text.ShellWords;
import java.time.Duration;

/**
 * The operator's scripts (process-mutex.md, The Rules), each a text for bash.
 *
 * @param check the health check; its first argument is {@code active} or {@code standby}
 * @param start starts the service, which may run already
 * @param stop stops the service, which may be stopped already; has succeeded only if it is
 * @param fence keeps the other hosts from doing harm, before a start; may be empty
 */
public record PutexScripts(String check, String start, String stop, String fence) {
  /**
   * Those for a unit of systemd. It is healthy unless it has failed, or systemd does not say. It is
   * given half of the time to stop, and is killed then.
   *
   * @param unit its name
   * @param stopLimit how long stopping may take
   */
  public static PutexScripts ofUnit(String unit, Duration stopLimit) {
    String name = ShellWords.quoted(unit);
    String half = Seconds.of(stopLimit.toNanos() / 2);
    return new PutexScripts(
        "state=$(systemctl is-failed -- %s); [[ -n $state && $state != failed ]]".formatted(name),
        "systemctl start --no-block -- " + name,
        "timeout %s systemctl stop -- %s && exit; systemctl kill --signal=KILL -- %s;"
                .formatted(half, name, name)
            + " systemctl stop -- %s && systemctl reset-failed -- %s".formatted(name, name),
        "");
  }
}
