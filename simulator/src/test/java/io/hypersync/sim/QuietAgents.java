package io.hypersync.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * JUnit extension that turns logging off, because simulated histories contain thousands of injected
 * outages.
 */
public final class QuietAgents implements BeforeEachCallback, AfterEachCallback {
  private final Logger agents = (Logger) LoggerFactory.getLogger("io.hypersync");
  private @Nullable Level before;

  /** For JUnit. */
  public QuietAgents() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    before = agents.getLevel();
    agents.setLevel(Level.OFF);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    agents.setLevel(before);
  }
}
