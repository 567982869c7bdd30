import type { ComponentChild, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiFailure } from "../api.js";
import { Failure, Loading } from "./states.js";

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): (props: Props) => ComponentChild {
  let loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [failure, setFailure] = useState<ApiFailure>();
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          redraw(1);
        },
        () =>
          setFailure(
            new ApiFailure(0, "unloadable", "A part of the console could not be loaded", "Reload the page."),
          ),
      );
    }, []);
    if (failure) return <Failure failure={failure} />;
    const Component = loaded;
    return Component === undefined ? <Loading what="the view" /> : <Component {...props} />;
  };
}
