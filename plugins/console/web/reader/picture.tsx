/** The image viewer, with zoom. */
import { useState } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import { stepOf, type Zoom } from "./zoom";
import { Icon } from "../ui/icons";

export interface PictureProps {
  readonly url: string;
  readonly name: string;
  readonly onFailed: () => void;
}

/** The image, fitted to the width or at a zoom level. */
export function Picture({ url, name, onFailed }: PictureProps) {
  const [zoom, setZoom] = useState<Exclude<Zoom, "text">>("fit");
  const [natural, setNatural] = useState(0);
  const [fitted, setFitted] = useState(0);
  const scale = zoom === "fit" ? (natural > 0 ? fitted / natural : 1) : zoom;
  return (
    <>
      <div class="reader-tools" role="toolbar" aria-label={strings.picture_tools}>
        <span class="tools-gap" />
        <button
          type="button"
          class="tool"
          aria-label={strings.zoom_out}
          onClick={() => setZoom(stepOf("out", scale))}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="tool tool-wide"
          aria-label={strings.fit_width(Math.round(scale * 100))}
          aria-pressed={zoom === "fit"}
          onClick={() => setZoom("fit")}
        >
          {Math.round(scale * 100)} %
        </button>
        <button
          type="button"
          class="tool"
          aria-label={strings.zoom_in}
          onClick={() => setZoom(stepOf("in", scale))}
        >
          <Icon name="plus" />
        </button>
      </div>
      <div class="picture-view" tabIndex={0} role="region" aria-label={strings.picture_of(name)}>
        <img
          src={url}
          alt={name}
          class={zoom === "fit" ? "picture-fit" : ""}
          style={zoom === "fit" ? {} : { width: `${natural * zoom}px` }}
          onLoad={({ currentTarget }) => {
            setNatural(currentTarget.naturalWidth);
            setFitted(currentTarget.clientWidth);
          }}
          onError={onFailed}
        />
      </div>
    </>
  );
}
