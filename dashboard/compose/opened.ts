import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A box that is opened where it is needed, and never closed under somebody who writes in it. */
export function useOpened(isNeeded: boolean): RefObject<HTMLDetailsElement | null> {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isNeeded && box.current !== null) box.current.open = true;
  }, [isNeeded]);
  return box;
}
