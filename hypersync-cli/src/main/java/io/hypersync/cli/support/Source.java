package io.hypersync.cli.support;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Something that goes into the archive.
 *
 * @param file its name there
 * @param about what it is, for the list of contents
 * @param limit for how long it is waited for
 * @param text makes it; may fail in any way, or hang
 */
record Source(String file, String about, Duration limit, Callable<String> text) {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** One that is waited for as long as most are. */
  Source(String file, String about, Callable<String> text) {
    this(file, about, LIMIT, text);
  }

  /** What came of a source. */
  sealed interface Outcome {
    record Text(String text) implements Outcome {}

    record Failed(String why) implements Outcome {}
  }

  /** Asks it, on a thread that is left behind if it hangs: it ends with the process. */
  Outcome ask() throws InterruptedException {
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread _ =
        Thread.ofPlatform()
            .daemon()
            .name("support-" + file)
            .start(
                () -> {
                  try {
                    answer.complete(text.call());
                  } catch (Exception | OutOfMemoryError e) {
                    answer.completeExceptionally(e);
                  }
                });
    try {
      return new Outcome.Text(answer.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return new Outcome.Failed("no answer within " + limit.toSeconds() + " s");
    } catch (ExecutionException e) {
      return new Outcome.Failed(
          switch (e.getCause()) {
            case UserError known -> known.message();
            case IOException known -> FileProblems.describe(known);
            case null, default -> String.valueOf(e.getCause());
          });
    }
  }
}
