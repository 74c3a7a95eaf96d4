// Owns a canvas that is as sharp as the screen and follows its own size, the theme and what it shows.
import { useEffect, useRef, useState } from "preact/hooks";
import { dark } from "../state";

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => void;

export function useCanvas(draw: Draw, inputs: readonly unknown[]) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<readonly [number, number]>([0, 0]);
  const isDark = dark.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize([element.clientWidth, element.clientHeight]));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    const [width, height] = size;
    if (!element || !context || !width || !height) return;
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    draw(context, width, height);
  }, [size, isDark, ...inputs]);
  return canvas;
}
