"""Has an image made by a service of OpenAI's form, and fetches what was made."""

import base64
import binascii
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from yeaft.config.settings import Images
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.pictures.picture_kinds import Kind, kind_of
from yeaft.tools.web.web_address import web_address
from yeaft.tools.web.web_client import WebClient, origin_of
from yeaft.tools.web.web_service import Question, ask_service

IMAGE_BYTES = 20 * 1024 * 1024
ANSWER_BYTES = IMAGE_BYTES // 3 * 4 + 1024 * 1024
TIMEOUT_S = 180.0
OK = 200


class Made(Struct, frozen=True, kw_only=True):
    """An image that was made and paid for; `told` is what there is to say about it."""

    content: bytes
    kind: Kind
    told: str


class _Image(Struct, frozen=True, kw_only=True):
    url: str | None = None
    b64_json: str | None = None


class _Answer(Struct, frozen=True, kw_only=True):
    """OpenAI's form, or that of simpler services, which have the address at the top."""

    data: tuple[_Image, ...] = ()
    url: str | None = None


class ImageService:
    """The service that `images` describes, whose key is in `environ`; `web` downloads what it only links to."""

    def __init__(self, images: Images, environ: Mapping[str, str], web: WebClient) -> None:
        self._images = images
        self._environ = environ
        self._web = web

    async def make(self, prompt: str, size: str) -> Made:
        """One image, `size` being width x height. Raises `ToolFailed`, which never has the key in it."""
        image = await self._asked(prompt, size)
        if image.b64_json:
            content = _decoded(image.b64_json)
        elif image.url:
            content = await self._downloaded(image.url)
        else:
            raise ToolFailed(f"No image from {self._images.url}: the answer has neither url nor b64_json.")
        kind = kind_of(content, "What the service made")
        origin = f" from {image.url}" if image.url else ""
        told = f"Generated a {kind} picture ({len(content):,} bytes){origin}"
        return Made(content=content, kind=kind, told=told)

    async def _asked(self, prompt: str, size: str) -> _Image:
        key = self._key()
        body = {"prompt": prompt, "size": size}
        question = Question(
            url=self._images.url,
            body=body | ({"model": self._images.model} if self._images.model else {}),
            headers={"authorization": f"Bearer {key}"} if key else {},
        )
        try:
            found = await ask_service(question, timeout_s=TIMEOUT_S, limit_bytes=ANSWER_BYTES)
            answer = msgspec.convert(found, _Answer)
        except ToolFailed as failure:
            raise ToolFailed(f"No image from {self._images.url}: {failure}.") from failure
        except msgspec.ValidationError as error:
            raise ToolFailed(f"No image from {self._images.url}: there is none in its answer ({error}).") from error
        return answer.data[0] if answer.data else _Image(url=answer.url)

    def _key(self) -> str:
        variable = self._images.api_key_env
        key = self._environ.get(variable, "").strip()
        if variable and not key:
            raise ToolFailed(f"images.api_key_env names the variable {variable}, which is not set.")
        return key

    async def _downloaded(self, url: str) -> bytes:
        """The image at `url`, guarded like any page, except that it may be at the service that the user configured."""
        trusted = origin_of(web_address(self._images.url))
        fetched = await self._web.fetch(web_address(url), limit_bytes=IMAGE_BYTES, trusted=trusted)
        if fetched.status != OK:
            raise ToolFailed(f"The image was made, but {url} answers with status {fetched.status}.")
        if fetched.is_cut:
            raise ToolFailed(f"The image was made, but {url} has more than {IMAGE_BYTES:,} bytes.")
        return fetched.body


def _decoded(text: str) -> bytes:
    try:
        content = base64.b64decode(text.rpartition(",")[2], validate=True)  # some services send a data: URL
    except (binascii.Error, ValueError) as error:
        raise ToolFailed(f"The service sent an image that is not base64: {error}.") from error
    if len(content) > IMAGE_BYTES:
        raise ToolFailed(f"The service sent an image of more than {IMAGE_BYTES:,} bytes.")
    return content
