package io.hypersync.e2e.load;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A process that makes calls on a mount: {@code mixed/actor.py}. It ends by itself when a turn
 * takes too long.
 */
public final class MixedActor implements AutoCloseable {
  private final Process process;
  private final BufferedWriter calls;
  private final BufferedReader answers;

  private MixedActor(Process process) {
    this.process = process;
    calls =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts an actor that works in this directory. */
  public static MixedActor start(Path folder) throws IOException, URISyntaxException {
    URL script = Objects.requireNonNull(MixedActor.class.getResource("/mixed/actor.py"));
    return new MixedActor(
        new ProcessBuilder("python3", Path.of(script.toURI()).toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start());
  }

  /** Makes the calls in order; returns an answer for each. */
  public List<String> turn(List<MixedCall> turn) throws IOException {
    for (MixedCall call : turn) {
      calls.write(call.line() + "\n");
    }
    calls.write("\n");
    calls.flush();
    List<String> found = new ArrayList<>();
    while (found.size() < turn.size()) {
      String answer = answers.readLine();
      if (answer == null) {
        throw new AssertionError("it ended in the turn " + turn + " after saying " + found);
      }
      found.add(answer);
    }
    return found;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        var _ = process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
