package io.hypersync.e2e.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a class whose tests mount workspaces.
 *
 * <p>The timeout is a guard against hangs, far longer than any test takes. A thread that waits in
 * the kernel for a mount cannot be interrupted. Therefore tests run on separate threads: one that
 * hangs is released when its {@link TestCluster} ends the daemons.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("mount")
@ExtendWith({SlowDaemons.class, ClassCosts.class})
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public @interface RealMounts {}
