package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each case is a process, because a process chooses once. */
@DisplayName("A JVM")
@Tag("slow")
final class ChoiceTest {
  /** What the started JVM runs: prints its choice, and a hash of symbols. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) {
      System.out.println(
          OctetRows.best().getClass().getSimpleName() + " " + Arrays.hashCode(symbols()));
    }

    static byte[] symbols() {
      OctetRows.warmUp();
      SourceBlock block = new SourceBlock(20_000, 1000);
      byte[] data = new byte[block.dataBytes()];
      new Random(1).nextBytes(data);
      byte[] symbols = new byte[10 * block.symbolBytes()];
      new Encoder(Code.of(block.sourceSymbols()), block).repair(data, 0, 20, 10, symbols, 0);
      return symbols;
    }
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "--add-modules jdk.incubator.vector, VectorOctetRows",
    "--add-modules jdk.incubator.vector -XX:UseAVX=2, VectorOctetRows",
    "--add-modules jdk.incubator.vector -XX:UseAVX=1, VectorOctetRows",
    "--add-modules jdk.incubator.vector -Dhypersync.raptorq.scalar=true, ScalarOctetRows",
    "--add-modules java.base, ScalarOctetRows",
  })
  @DisplayName("takes vectors if it has them and may, and makes the same symbols with and without")
  void choice(String options, String expected) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options.split(" ", -1)));
    command.addAll(List.of("-cp", place(Code.class) + File.pathSeparator + place(Main.class)));
    command.add(Main.class.getName());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertEquals(expected + " " + Arrays.hashCode(Main.symbols()), said.strip());
  }

  private static String place(Class<?> type) {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
  }
}
