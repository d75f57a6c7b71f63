package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Stores a daemon's start parameters when it has become ready, because they have proved to work
 * then.
 *
 * @param daemon all methods delegate to it
 * @param remember runs once the daemon is ready
 */
public record OptionSavingDaemon(Daemon daemon, Runnable remember) implements Daemon {
  @Override
  public void awaitReady() throws InterruptedException {
    daemon.awaitReady();
    remember.run();
  }

  @Override
  public void beat() {
    daemon.beat();
  }

  @Override
  public ObjectNode status() {
    return daemon.status();
  }

  @Override
  public List<ObjectNode> measured() {
    return daemon.measured();
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return daemon.adminCommands();
  }

  @Override
  public CompletableFuture<Void> ended() {
    return daemon.ended();
  }

  @Override
  public void close() {
    daemon.close();
  }
}
