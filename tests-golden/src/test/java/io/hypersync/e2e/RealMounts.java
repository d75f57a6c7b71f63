package io.hypersync.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * A class of tests that mount workspaces.
 *
 * <p>The time limit is a guard against a hang, far beyond what a test takes. A thread that waits in
 * the kernel for a mount cannot be interrupted, so tests run on threads of their own: the one that
 * hangs is freed when its {@link Fabric} ends the daemons.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("mounts")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@interface RealMounts {}
