package io.hypersync.fuzz;

import io.hypersync.runtime.admin.AdminTargets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fuzzes every decoder that reads from the network, the log, the kernel, or a file given by a user.
 */
@Tag("slow")
final class DecoderFuzzTest {
  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> everyDecoderKeepsItsPromise() throws IOException, Exception {
    List<FuzzTarget> targets = new ArrayList<>();
    targets.addAll(ModelTargets.all());
    targets.addAll(FrameTargets.all());
    targets.addAll(PkiTargets.all(directory.resolve("authority")));
    targets.addAll(AdminTargets.all());
    targets.addAll(KernelTargets.all());
    targets.addAll(FileTargets.all(directory.resolve("log")));
    return targets.stream()
        .map(target -> DynamicTest.dynamicTest(target.name(), () -> Fuzzer.run(target)));
  }
}
