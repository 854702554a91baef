"""Which providers there are, which environment variable holds a provider's key, and what a route may look like.

A route is `provider/name of the model at that provider`. All of this is known without loading the client library; a
test compares the list below with the library's own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from leaderboard.core.types import Endpoint
from leaderboard.errors import BadInput


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROVIDERS: frozenset[str] = _names(
    """
    a2a a2a_agent abliteration ai21 ai21_chat aiand aihubmix aiml aiohttp_openai amazon_nova anthropic
    anthropic_text apertis assemblyai auto_router aws_polly aws_textract azure azure_ai azure_speech azure_text
    baseten bedrock bedrock_mantle bespoke bigmodel black_forest_labs bytez cerebras charity_engine chatgpt chutes
    clarifai clf_ai_gateway cloudflare codestral cognition cohere cohere_chat cometapi compactifai coralbricks
    cortecs crusoe cursor custom custom_openai darkbloom dashscope databricks databricks_agent datarobot deepgram
    deepinfra deepseek docker_model_runner dotprompt edenai elevenlabs empiriolabs empower eu_jev fal_ai
    featherless_ai fireworks_ai friendliai galadriel gdc gemini gigachat github github_copilot gmi gradient_ai groq
    helicone heroku hosted_vllm hostinger_router huggingface humanloop hyperbolic inception inferenceapis infinity
    jina_ai kyma lambda_ai langflow langfuse langgraph laya lemonade libertai litellm_agent litellm_proxy llamafile
    llamagate lm_studio manus maritalk meta meta_llama microsoft_365_copilot milvus minimax mistral modelscope
    mongodb moonshot morph nace nadir nano-gpt nebius neosantara nlp_cloud novita nscale nvidia_nim nvidia_riva oci
    ollama ollama_chat oobabooga openai openai_like opencode_go openinfer openrouter opensearch ovhcloud parallel_ai
    parasail perplexity petals pg_vector pinstripes poe predibase prism publicai qwen_ai_platform qwencloud ragflow
    recraft reducto refuseless reka replicate runwayml s3_vectors sagemaker sagemaker_chat sagemaker_nova sail
    sambanova sap sarvam scaledown scaleway scx-ai sim snowflake soniox stability strands_decider streamlake
    synthetic tencent tensormesh text-completion-codestral text-completion-inception text-completion-openai
    together_ai topaz transcribe triton typesafe v0 valkey veniceai vercel_ai_gateway vertex_ai vertex_ai_beta vllm
    volcengine voyage wally wandb watsonx watsonx_text xai xiaomi_mimo xinference zai zerogpu
    """
)
SIMULATED = "sim"
LOCAL: frozenset[str] = frozenset({"ollama", "ollama_chat", "hosted_vllm", "llamafile", "lm_studio", SIMULATED})

KEY_VARIABLES: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"),
    "azure_ai": ("AZURE_AI_API_KEY",),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "text-completion-openai": ("OPENAI_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    "xai": ("XAI_API_KEY",),
}
ODD_NAMES: dict[str, str] = {
    "ai21_chat": "AI21_API_KEY",
    "aiohttp_openai": "OPENAI_API_KEY",
    "anthropic_text": "ANTHROPIC_API_KEY",
    "apertis": "STIMA_API_KEY",
    "azure_text": "AZURE_API_KEY",
    "custom_openai": "OPENAI_API_KEY",
    "datarobot": "DATAROBOT_API_TOKEN",
    "lambda_ai": "LAMBDA_API_KEY",
    "meta_llama": "LLAMA_API_KEY",
    "nano-gpt": "NANOGPT_API_KEY",
    "ollama_chat": "OLLAMA_API_KEY",
    "scaleway": "SCW_SECRET_KEY",
    "scx-ai": "SCX_API_KEY",
    "tensormesh": "TENSORMESH_INFERENCE_API_KEY",
    "text-completion-codestral": "CODESTRAL_API_KEY",
    "text-completion-inception": "INCEPTION_API_KEY",
    "veniceai": "VENICE_AI_API_KEY",
    "watsonx_text": "WATSONX_API_KEY",
}
KEYLESS: frozenset[str] = _names(
    "sim bedrock sagemaker sagemaker_chat sagemaker_nova aws_polly aws_textract vertex_ai vertex_ai_beta oci "
    "github_copilot chatgpt microsoft_365_copilot custom petals oobabooga auto_router vllm"
)
EXAMPLES: dict[str, str] = {
    "gpt": "openai/{}",
    "o1": "openai/{}",
    "o3": "openai/{}",
    "o4": "openai/{}",
    "claude": "anthropic/{}",
    "gemini": "gemini/{}",
    "mistral": "mistral/{}",
    "grok": "xai/{}",
    "deepseek": "deepseek/{}",
    "command": "cohere_chat/{}",
}
OF_THE_CLIENT: frozenset[str] = _names(
    "model messages n stream stream_options timeout request_timeout api_key api_base base_url api_version region "
    "organization max_retries num_retries fallbacks context_window_fallbacks drop_params additional_drop_params "
    "allowed_openai_params mock_response mock_delay mock_timeout cache caching custom_llm_provider metadata callbacks "
    "extra_headers headers extra_body tools tool_choice functions function_call logger_fn client "
    "model_list litellm_call_id no-log user"
)
OF_THE_ACCOUNT = re.compile(r"^(aws_|vertex_|azure_|watsonx_|litellm_)", re.IGNORECASE)
OF_CREDENTIALS = re.compile(
    r"((api|access|private|subscription)[-_ ]?key|token|secret|passw(or)?d|passphrase|authorization|credentials?|cookie"
    r"|bearer)$",
    re.IGNORECASE,
)
KEY_ADVICE = ". A key goes into an environment variable that api_key_env names"


def provider_of(route: str) -> str:
    """The part before the first slash."""
    return route.split("/", 1)[0]


def model_of(route: str) -> str:
    """The part after the first slash: the model's name at its provider."""
    return route.split("/", 1)[1]


def check_route(litellm: str) -> None:
    """Raise `BadInput` with a corrected example unless the route names a known provider and a model."""
    if any(character.isspace() or not character.isprintable() for character in litellm):
        raise BadInput(f"litellm: {litellm!r} contains a space or an unprintable character")
    provider, slash, name = litellm.partition("/")
    if not slash:
        raise BadInput(f"litellm: {litellm!r} names no provider. Write provider/name, for example {_example(litellm)}")
    if provider not in PROVIDERS:
        raise BadInput(f"litellm: {provider!r} is no known provider. {_suggestion(provider, name)}")
    if not name:
        raise BadInput(f"litellm: {litellm!r} names no model. Write {provider}/ followed by the model's name there")


def _example(name: str) -> str:
    for start, pattern in EXAMPLES.items():
        if name.lower().startswith(start):
            return pattern.format(name)
    if name in PROVIDERS:
        return f"{name}/name-of-the-model"
    return f"openai/{name or 'gpt-4o-mini'}"


def _suggestion(provider: str, name: str) -> str:
    close = difflib.get_close_matches(provider.lower(), sorted(PROVIDERS), n=1, cutoff=0.7)
    if close:
        return f"Did you mean {close[0]}/{name}?"
    return f"For an OpenAI-compatible server write openai/{name or 'name'} with its api_base"


def check_params(wanted: Iterable[str]) -> None:
    """Raise `BadInput` for names that steer the client or carry credentials: they are no parameters of a model.

    `wanted` are names, or a mapping of names to values, in which credentials are looked for at any depth.
    """
    for name in wanted:
        if name == "n":
            raise BadInput("params: n is not set here; a judge's `samples` says how many replies are asked for")
        if name in OF_THE_CLIENT or OF_THE_ACCOUNT.search(name):
            raise BadInput(f"params: {name} is not a parameter of a model and cannot be set here")
    for path in _paths(wanted if isinstance(wanted, Mapping) else dict.fromkeys(wanted)):
        if OF_CREDENTIALS.search(path):
            raise BadInput(f"params: {path} is not a parameter of a model and cannot be set here{KEY_ADVICE}")


def _paths(params: Mapping[str, object]) -> Iterator[str]:
    """Every name in the mapping and in what it holds, written from the outside in: `outer.inner`."""
    left: list[tuple[str, object]] = [("", params)]
    while left:
        path, value = left.pop()
        if isinstance(value, Mapping):
            inside = [(f"{path}.{name}" if path else str(name), held) for name, held in value.items()]
            yield from (name for name, _ in inside)
            left += inside
        elif isinstance(value, list | tuple):
            left += [(path, held) for held in value]


def check_api_base(url: str | None) -> None:
    """Raise `BadInput` for an address that holds more than an address: a query, a fragment, a user or a password.

    The address is stored and shown, and keys stand in such parts; so the text does not repeat it.
    """
    if url is not None and re.search(r"[?#@]", url):
        raise BadInput(f"api_base: an address without `?…`, `#…` and `…@`, like http://127.0.0.1:8080/v1{KEY_ADVICE}")


def key_variables(litellm: str) -> tuple[str, ...]:
    """The environment variables that may hold this route's key, the usual one first; none where no key exists."""
    provider = provider_of(litellm)
    if provider in KEYLESS:
        return ()
    if provider in KEY_VARIABLES:
        return KEY_VARIABLES[provider]
    usual = provider.upper().replace("-", "_") + "_API_KEY"
    return (ODD_NAMES.get(provider, usual),)


def key_variable(litellm: str) -> str | None:
    """The usual environment variable of this route's key."""
    return next(iter(key_variables(litellm)), None)


def lane_of(endpoint: Endpoint) -> str:
    """Requests of one lane share a provider's rate limit: same provider, same address, same key."""
    key = endpoint.api_key_env or key_variable(endpoint.litellm) or "-"
    return f"{provider_of(endpoint.litellm)}|{endpoint.api_base or '-'}|{key}"
